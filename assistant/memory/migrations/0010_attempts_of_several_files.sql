-- An attempt's record lists in `also` what it did to other files. Records of before have their paths there, without texts.

create view attempt_files as
  select attempts.id as id,
    case files.type when 'object' then json_extract(files.value, '$.path') else files.value end as path,
    case files.type when 'object' then json_extract(files.value, '$.before_text') end as before_blob,
    case files.type when 'object' then json_extract(files.value, '$.after_text') end as after_blob
  from attempts, json_each(attempts.record, '$.also') files;

create view attempt_texts as
  select id, parent_blob as hash from attempts where parent_blob is not null
  union all select id, text_blob from attempts where text_blob is not null
  union all select id, before_blob from attempt_files where before_blob is not null
  union all select id, after_blob from attempt_files where after_blob is not null;

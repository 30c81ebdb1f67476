-- A proposal's alternatives list what they do to each file in `files` of their own.

drop view proposal_texts;

create view proposal_texts as
  select id, before_blob as hash from proposals where before_blob is not null
  union all select id, after_blob from proposals where after_blob is not null
  union all select proposals.id, json_extract(files.value, '$.before_text') from proposals, json_each(proposals.record, '$.files') files
  union all select proposals.id, json_extract(files.value, '$.after_text') from proposals, json_each(proposals.record, '$.files') files
  union all select proposals.id, json_extract(files.value, '$.before_text')
    from proposals, json_each(proposals.record, '$.alternatives') versions, json_each(versions.value, '$.files') files
  union all select proposals.id, json_extract(files.value, '$.after_text')
    from proposals, json_each(proposals.record, '$.alternatives') versions, json_each(versions.value, '$.files') files;

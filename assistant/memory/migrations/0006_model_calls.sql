-- Calls of language models: JSON records as in 0001, appended, never changed, their prompts and answers in blobs.

create table model_calls (
  id text primary key,
  record text,                        -- null once forgotten
  job text generated always as (json_extract(record, '$.job')) virtual,
  workspace text generated always as (json_extract(record, '$.workspace')) virtual,
  path text generated always as (json_extract(record, '$.path')) virtual,
  started_ms integer generated always as (json_extract(record, '$.started_ms')) virtual
);
create index model_calls_by_job on model_calls (job, started_ms);

create view model_call_texts as
  select model_calls.id as id, texts.value as hash from model_calls, json_each(model_calls.record, '$.texts') texts;

create trigger model_calls_stay before delete on model_calls begin select raise(abort, 'model calls are never deleted'); end;
create trigger model_calls_are_final before update on model_calls
  when new.id is not old.id or new.record is not null
    or not exists (select 1 from forgotten where kind = 'call' and subject = old.id)
  begin select raise(abort, 'model calls are never changed'); end;

-- Pair sessions and their turns: JSON records as in 0001, appended, never changed, their texts in blobs.

create table pair_sessions (
  id text primary key,
  record text,                        -- null once forgotten
  workspace text generated always as (json_extract(record, '$.workspace')) virtual,
  path text generated always as (json_extract(record, '$.path')) virtual,
  kernel text generated always as (json_extract(record, '$.kernel')) virtual,
  created_ms integer generated always as (json_extract(record, '$.created_ms')) virtual,
  baseline_blob text generated always as (json_extract(record, '$.baseline_text')) virtual references blobs (hash)
);
create index pair_sessions_by_path on pair_sessions (path, kernel);

create table pair_turns (
  id text primary key,                -- session/number
  session text not null references pair_sessions (id),
  number integer not null,
  record text,
  kind text generated always as (json_extract(record, '$.kind')) virtual,
  text_blob text generated always as (json_extract(record, '$.text')) virtual references blobs (hash),
  unique (session, number)
);

create trigger pair_sessions_stay before delete on pair_sessions begin select raise(abort, 'pair sessions are never deleted'); end;
create trigger pair_turns_stay before delete on pair_turns begin select raise(abort, 'turns are never deleted'); end;
create trigger pair_sessions_are_final before update on pair_sessions
  when new.id is not old.id or new.record is not null
    or not exists (select 1 from forgotten where kind = 'pair' and subject = old.id)
  begin select raise(abort, 'pair sessions are never changed'); end;
create trigger pair_turns_are_final before update on pair_turns
  when new.id is not old.id or new.session is not old.session or new.number is not old.number or new.record is not null
    or not exists (select 1 from forgotten where kind = 'turn' and subject = old.id)
  begin select raise(abort, 'turns are never changed'); end;

-- What was learnt, one row per trial. Derived from attempts, decisions and imports, in the transaction that adds them; `rows_of_before`
-- derives those of attempts that were kept before this table was.

create table experience (
  id text primary key,                -- the attempt's id, or import/number
  origin text not null,               -- trial, edit or import
  technique text not null,
  label text not null,                -- bottleneck of the kernel before
  family text not null,
  element text not null,
  device text not null,
  architecture text not null,
  workspace text,                     -- null of an import
  kernel text not null,
  kernel_id text not null,
  same text not null,                 -- equal for repetitions of one edit
  is_right integer,                   -- null: no verdict
  log_ratio real,                     -- null: not timed, or inconclusive
  variance real,
  is_measured integer not null,
  created_ms integer not null,
  job text not null,
  decision text not null,
  counts_as integer not null,         -- 1 of this memory, 2 of an import; 0 once newer ones of the same technique, kernel and device are enough
  vector blob not null,               -- the signature's numbers: float32, in the order of its dimensions; NaN where one is not known
  detail text not null                -- JSON: parameters, techniques before, scale, side effects, next signature, finding, method
);
create index experience_by_label on experience (technique, counts_as, label, created_ms);
create index experience_by_age on experience (technique, counts_as, created_ms, label);
create index experience_by_kernel on experience (technique, kernel_id, device, created_ms);
create index experience_by_job on experience (job, technique);

-- Names that mean a technique of another name, and who or which rule found that.
create table aliases (
  name text primary key,
  technique text not null,
  reason text not null,
  made_by text not null,              -- person or rule
  made_ms integer not null
) without rowid;

-- Exports of other memories: JSON records as in 0001, numbers and names alone.
create table imports (
  id text primary key,
  record text,                        -- null once forgotten
  imported_ms integer generated always as (json_extract(record, '$.imported_ms')) virtual
);
create trigger imports_stay before delete on imports begin select raise(abort, 'imports are never deleted'); end;
create trigger imports_are_final before update on imports
  when new.id is not old.id or new.record is not null
    or not exists (select 1 from forgotten where kind = 'import' and subject = old.id)
  begin select raise(abort, 'imports are never changed'); end;

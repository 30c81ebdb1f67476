-- Attempts, proposals and decisions are JSON records; what is searched for is a generated column, so that a record is the only truth.

create table blobs (
  hash text primary key,              -- algorithm:hex of the uncompressed bytes
  size_bytes integer not null,        -- uncompressed
  content blob                        -- zlib; null once forgotten
);

create table attempts (
  id text primary key,
  record text,                        -- null once forgotten
  workspace text generated always as (json_extract(record, '$.workspace')) virtual,
  path text generated always as (json_extract(record, '$.path')) virtual,
  technique text generated always as (json_extract(record, '$.technique')) virtual,
  created_ms integer generated always as (json_extract(record, '$.created_ms')) virtual,
  parent_blob text generated always as (json_extract(record, '$.parent_text')) virtual references blobs (hash),
  text_blob text generated always as (json_extract(record, '$.text')) virtual references blobs (hash)
);
create index attempts_by_workspace on attempts (workspace, created_ms);
create index attempts_by_technique on attempts (technique, created_ms);

create table proposals (
  id text primary key,
  state text not null check (state in ('open', 'accepted', 'rejected', 'undone', 'stale', 'superseded')),
  record text,
  workspace text generated always as (json_extract(record, '$.workspace')) virtual,
  path text generated always as (json_extract(record, '$.path')) virtual,
  kernel text generated always as (json_extract(record, '$.kernel')) virtual,
  created_ms integer generated always as (json_extract(record, '$.created_ms')) virtual,
  before_blob text generated always as (json_extract(record, '$.before_text')) virtual references blobs (hash),
  after_blob text generated always as (json_extract(record, '$.after_text')) virtual references blobs (hash)
);
create index proposals_by_workspace on proposals (workspace, created_ms);

create table decisions (
  id integer primary key autoincrement,
  proposal text not null references proposals (id),
  record text
);
create index decisions_by_proposal on decisions (proposal, id);

-- Tombstones: what was forgotten, and when. Only a forgotten record may lose its contents.
create table forgotten (
  kind text not null,
  subject text not null,
  forgotten_ms integer not null,
  primary key (kind, subject)
) without rowid;

-- One entry per attempt, proposal and decision, each holding the hash of the one before.
create table chain (
  position integer primary key,
  kind text not null,
  subject text not null,
  record_hash text not null,
  hash text not null
);

create table jobs (
  id text primary key,
  command text not null,
  path text not null,                 -- JSON strings, as file names need not be valid Unicode
  workspace text not null,
  owner text not null,
  started_ms integer not null,
  heartbeat_ms integer not null,
  ended_ms integer,
  exit_code integer,
  is_cancel_requested integer not null default 0
);

create table job_events (
  job text not null references jobs (id) on delete cascade,
  position integer not null,
  event text not null,
  primary key (job, position)
) without rowid;

create table meta (key text primary key, value text not null) without rowid;

create trigger attempts_stay before delete on attempts begin select raise(abort, 'attempts are never deleted'); end;
create trigger proposals_stay before delete on proposals begin select raise(abort, 'proposals are never deleted'); end;
create trigger decisions_stay before delete on decisions begin select raise(abort, 'decisions are never deleted'); end;
create trigger chain_stays before delete on chain begin select raise(abort, 'the chain is never cut'); end;
create trigger chain_is_final before update on chain begin select raise(abort, 'the chain is never changed'); end;
create trigger forgotten_stay before delete on forgotten begin select raise(abort, 'tombstones are never deleted'); end;
create trigger forgotten_are_final before update on forgotten begin select raise(abort, 'tombstones are never changed'); end;
create trigger blobs_stay before delete on blobs begin select raise(abort, 'blobs are never deleted'); end;
create trigger blobs_are_final before update on blobs
  when new.hash is not old.hash or new.size_bytes is not old.size_bytes or (old.content is not null and new.content is not null)
  begin select raise(abort, 'blobs are never changed'); end;
create trigger attempts_are_final before update on attempts
  when new.id is not old.id or new.record is not null
    or not exists (select 1 from forgotten where kind = 'attempt' and subject = old.id)
  begin select raise(abort, 'attempts are never changed'); end;
create trigger proposals_are_final before update of id, record on proposals
  when new.id is not old.id or new.record is not null
    or not exists (select 1 from forgotten where kind = 'proposal' and subject = old.id)
  begin select raise(abort, 'proposals are never changed'); end;
create trigger decisions_are_final before update on decisions
  when new.id is not old.id or new.proposal is not old.proposal or new.record is not null
    or not exists (select 1 from forgotten where kind = 'decision' and subject = cast(old.id as text))
  begin select raise(abort, 'decisions are never changed'); end;

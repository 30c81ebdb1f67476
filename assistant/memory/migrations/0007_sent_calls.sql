-- What a model call may cost at most, noted before it is sent: numbers only, for searches that were killed while they waited.

create table sent_calls (
  id text primary key,                -- of the call; its end lies in model_calls
  job text not null references jobs (id) on delete cascade,
  started_ms integer not null,
  at_most text not null               -- JSON of a Spending
) without rowid;
create index sent_calls_by_job on sent_calls (job, started_ms);

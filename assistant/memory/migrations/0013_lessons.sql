-- Two trials of one job, the second an edit of what the first made, and what they came to together. Derived from attempts; numbers alone.

create table chains (
  id text primary key,                -- ids of the two attempts, joined by +
  techniques text not null,           -- their techniques in order, joined by +
  first text not null,                -- the first attempt's id: its row has the state before both
  kernel_id text not null,
  is_right integer not null,          -- of both together
  first_log_ratio real not null,
  log_ratio real,                     -- of both together; null: the second was not timed, or wrong
  alone real,                         -- of the second's technique on the text that the first began with; null: it was not tried there
  variance real,
  created_ms integer not null
);
create index chains_by_age on chains (created_ms);

-- What was learnt about a technique beyond its text in the catalogue, and which rows it was learnt from; the newest that is kept counts.
create table lessons (
  id text primary key,
  technique text not null,
  record text not null,               -- JSON: statements made of numbers and known words, rows, scores on rows held out
  state text not null check (state in ('kept', 'reverted')),
  created_ms integer not null
);
create index lessons_by_technique on lessons (technique, created_ms);

-- Sequences that a person does not want offered as one step.
create table dropped_composites (
  techniques text primary key,
  made_ms integer not null
) without rowid;

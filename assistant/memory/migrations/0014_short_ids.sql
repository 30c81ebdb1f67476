-- What people call a proposal, P1, P2 … in its workspace: given once, kept when its contents are forgotten, never given again.

alter table proposals add column number integer;

create table last_numbers (
  workspace_sha256 text primary key,  -- of its path, which forgetting removes
  number integer not null             -- the last that was given there
) without rowid;

update proposals set number = numbered.number
  from (select id, row_number() over (partition by workspace order by rowid) as number from proposals where record is not null) numbered
  where proposals.id = numbered.id;

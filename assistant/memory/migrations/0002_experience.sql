-- What recall and knowledge search by: the job ties a proposal to the device its attempts ran on.

alter table attempts add column job text generated always as (json_extract(record, '$.job')) virtual;
alter table proposals add column job text generated always as (json_extract(record, '$.job')) virtual;
create index attempts_by_job on attempts (job);

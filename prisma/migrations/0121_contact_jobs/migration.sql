-- Acts over many contacts, which a worker carries out batch by batch.
-- serves: earlier
create table contact_jobs (
  id uuid primary key,
  team_id uuid not null,
  status text not null,
  selection jsonb not null,
  contact_ids uuid[] not null default '{}',
  act jsonb not null,
  expected integer,
  position uuid,
  changed integer not null default 0,
  unchanged integer not null default 0,
  refused integer not null default 0,
  reason text,
  created_at timestamptz(3) not null,
  completed_at timestamptz(3),
  constraint contact_jobs_status_check check (status in ('queued', 'in_progress', 'completed', 'failed', 'canceled'))
);
create index contact_jobs_team_id_id_idx on contact_jobs (team_id, id desc);
create index contact_jobs_open_idx on contact_jobs (id) where status in ('queued', 'in_progress');

create table contact_job_refusals (
  job_id uuid not null,
  contact_id uuid not null,
  reason text not null,
  primary key (job_id, contact_id),
  constraint contact_job_refusals_reason_check check (reason in ('not_found', 'opted_out', 'suppressed', 'too_many_segments'))
);

create trigger collect_changes after insert or update or delete on contact_jobs for each row
  when (current_setting('posthaste.act_table', true) = 'contact_jobs') execute function collect_change('status selection act', '');

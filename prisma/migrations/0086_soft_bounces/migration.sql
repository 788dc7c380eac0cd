-- serves: earlier
-- An address that bounces softly in several mails in a row is suppressed: by default for teams that are made from now on.
alter table recipients add column soft_bounced_at timestamptz(3);
alter table suppressions add column soft_bounces jsonb;
alter table teams add column suppresses_soft_bounces boolean not null default false;
alter table teams alter column suppresses_soft_bounces set default true;

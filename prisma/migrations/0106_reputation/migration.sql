-- What the guard of reputations counts and decides. A version before this one counts as before, and what it adds up while it runs beside this one misses
-- the new counts.
-- serves: earlier
alter table email_counts
  add column sent_simulated integer not null default 0,
  add column bounced_simulated integer not null default 0,
  add column complained_simulated integer not null default 0,
  add column bounced_unknown_user integer not null default 0,
  add column bounced_spam_trap integer not null default 0;

alter table email_count_changes drop constraint email_count_changes_metric_check;
alter table email_count_changes add constraint email_count_changes_metric_check check (metric = any ('{received,sent,delivered,delivery_delayed,failed,suppressed,bounced_transient,bounced_permanent,bounced_undetermined,complained,opened,clicked,opened_by_machine,clicked_by_machine,unique_opened,unique_clicked,unsubscribed,canceled,sent_simulated,bounced_simulated,complained_simulated,bounced_unknown_user,bounced_spam_trap}')) not valid;
alter table email_count_changes validate constraint email_count_changes_metric_check;

create or replace function email_count_metrics(type text, data jsonb) returns text[]
  language sql immutable parallel safe
  return case type
    when 'email.sent' then case data ->> 'countedAs' when 'simulated' then array['sent', 'sent_simulated'] else array['sent'] end
    when 'email.delivered' then array['delivered']
    when 'email.delivery_delayed' then array['delivery_delayed']
    when 'email.failed' then array['failed']
    when 'email.suppressed' then array['suppressed']
    when 'email.complained' then case data ->> 'countedAs' when 'simulated' then array['complained', 'complained_simulated'] else array['complained'] end
    when 'email.bounced' then array[case data #>> '{detail,bounce,type}'
      when 'Permanent' then 'bounced_permanent'
      when 'Transient' then 'bounced_transient'
      else 'bounced_undetermined'
    end] || case data ->> 'countedAs'
      when 'simulated' then array['bounced_simulated']
      when 'unknown_user' then array['bounced_unknown_user']
      when 'spam_trap' then array['bounced_spam_trap']
      else array[]::text[]
    end
    when 'email.opened' then case
      when data #>> '{detail,is_machine}' = 'true' then array['opened', 'opened_by_machine']
      when data ->> 'firstOf' = 'email' then array['opened', 'unique_opened']
      else array['opened']
    end
    when 'email.clicked' then case
      when data #>> '{detail,is_machine}' = 'true' then array['clicked', 'clicked_by_machine']
      when data ->> 'firstOf' = 'email' then array['clicked', 'unique_clicked']
      else array['clicked']
    end
    when 'email.unsubscribed' then array['unsubscribed']
    when 'email.canceled' then array['canceled']
    else array[]::text[]
  end;

-- Teams with new bounces or complaints, which the guard has not looked at yet.
create table outcome_changes (
  team_id uuid primary key
);

-- How a team stands with the guard. A team without a row has never crossed a mark.
create table team_reputations (
  team_id uuid primary key references teams (id) on update cascade on delete cascade,
  status text not null,
  since timestamptz(3) not null,
  reason text,
  warned_at timestamptz(3),
  counted_from timestamptz(3),
  slowed text,
  slowed_until timestamptz(3),
  look_at timestamptz(3),
  constraint team_reputations_status_check check (status = any ('{good,warning,bulk_paused,paused}')),
  constraint team_reputations_slowed_check check (slowed = any ('{bulk,all}')),
  constraint team_reputations_reason check ((status = 'good') = (reason is null)),
  constraint team_reputations_slowed_until check ((slowed is null) = (slowed_until is null))
);
-- Workers read the few that are paused or slowed, and the guard those that it has to look at again.
create index team_reputations_held_idx on team_reputations (team_id) where status in ('bulk_paused', 'paused') or slowed is not null;
create index team_reputations_look_at_idx on team_reputations (look_at) where look_at is not null;

-- How far the guard goes with a team, unless the installation says it for all. Alone in its installation, a team has no one else's name to harm.
alter table teams add column guard text not null default 'all';
alter table teams add constraint teams_guard_check check (guard = any ('{warn,bulk,all}'));
update teams set guard = 'bulk' where id = (select id from teams order by id limit 1);

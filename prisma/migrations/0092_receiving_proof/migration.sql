-- serves: earlier
-- Receiving needs the DKIM record of the team besides the MX record, which is the same for all teams. Domains that receive without it keep their mail,
-- and are asked for it.
alter table domains add column receiving_unproven_until timestamptz(3);
update domains set receiving_unproven_until = now() + interval '90 days'
where receiving and owns_name
  and not exists (
    select from domain_records r where r.domain_id = domains.id and r.kind = 'DKIM' and r.status in ('verified', 'temporary_failure')
  );

-- Who had a name before: another team gets it by a claim only.
create table former_domains (
  name text not null,
  team_id uuid not null,
  domain_id uuid not null,
  ended_at timestamptz(3) not null,
  primary key (name, team_id)
);
create index former_domains_ended_at_idx on former_domains (ended_at);

drop index domains_attention_idx;
create index domains_attention_idx on domains (team_id, id desc)
  where status in ('failed', 'temporary_failure', 'partially_failed') or receiving_unproven_until is not null;

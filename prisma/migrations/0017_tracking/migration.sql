-- When a person first opened an email or followed one of its links: what came later does not count as unique.
alter table emails add column opened_at timestamptz(3), add column clicked_at timestamptz(3);

-- The host to which links of a domain lead: the last one whose record was verified.
alter table domains add column tracking_host text;
update domains d set tracking_host = d.tracking_subdomain || '.' || d.name
where d.tracking_subdomain is not null and exists (
  select from domain_records r where r.domain_id = d.id and r.kind = 'Tracking' and r.status in ('verified', 'temporary_failure')
);

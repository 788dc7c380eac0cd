-- What contacts did, as their team told it: of a contact, or of an address that no contact had.
create table sent_events (
  id uuid primary key,
  team_id uuid not null,
  name text not null,
  contact_id uuid,
  email text,
  payload jsonb not null,
  created_at timestamptz(3) not null,
  constraint sent_events_of_one check (num_nonnulls(contact_id, email) = 1)
) partition by range (id);
create index sent_events_contact_idx on sent_events (contact_id, id) where contact_id is not null;
create index sent_events_email_idx on sent_events (team_id, email, id) where email is not null;

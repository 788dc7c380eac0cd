-- When and why an address was suppressed, and when that was lifted: the export of a person shows it, also after the suppression is gone.
create index notifications_suppressed_address_idx on notifications (team_id, (data ->> 'email'), id)
  where type like 'suppression.%';

-- The newest emails that were made from a template. Emails without one cost nothing here, and the others some 40 bytes: neither column ever changes.
create index emails_template_idx on emails (template_id, id) where template_id is not null;

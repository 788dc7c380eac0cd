-- Imports can be canceled, and their reports show what the refused rows said. A version before this one stores refused rows without it.
-- serves: earlier
alter table contact_imports drop constraint contact_imports_status_check;
alter table contact_imports add constraint contact_imports_status_check check (status = any ('{queued,in_progress,completed,failed,canceled}')) not valid;
alter table contact_imports validate constraint contact_imports_status_check;
alter table contact_import_refusals add column cells jsonb;

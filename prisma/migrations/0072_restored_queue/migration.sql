-- Set after a restore: when the backup was made. While there is such a pause, webhooks, broadcasts and automations rest too.
alter table queue_pauses add column backup_at timestamptz(3);

-- Access that ends with the membership of the person who allowed it, and the client of the command line, for `posthaste login`.
-- serves: earlier
alter table oauth_grants drop constraint oauth_grants_revoked_reason_check;
alter table oauth_grants add constraint oauth_grants_revoked_reason_check check (revoked_reason = any ('{revoked_from_api,revoked_from_console,revoked_by_operator,revoked_by_client,token_reused,code_reused,keys_deleted,member_removed,unused}')) not valid;
alter table oauth_grants validate constraint oauth_grants_revoked_reason_check;
insert into oauth_clients (id, client_id, origin, name, metadata, created_at) values (
  '0a6f2c4e-5b1d-4c58-9f43-7c2f7b0a9d11', '0a6f2c4e-5b1d-4c58-9f43-7c2f7b0a9d11', 'built_in', 'Posthaste command line',
  '{"redirect_uris": [], "application_type": "native", "token_endpoint_auth_method": "none", "grant_types": ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"], "response_types": []}',
  now()
);

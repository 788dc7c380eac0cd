// Where each kind of record is shown.

type Named = { id: string; parent_id: string | null }

/** Null: on no page of this console. */
export const addressOfRecord = ({ type, id, parent_id }: Named & { type: string }): string | null =>
  ADDRESSES[type]?.({ id, parent_id }) ?? null

const ADDRESSES: Readonly<Record<string, (record: Named) => string>> = {
  email: ({ id }) => `/emails/${id}`,
  received_email: ({ id }) => `/received/${id}`,
  contact: ({ id }) => `/contacts/${id}`,
  domain: ({ id }) => `/domains/${id}`,
  broadcast: ({ id }) => `/broadcasts/${id}`,
  segment: ({ id }) => `/segments/${id}`,
  topic: ({ id }) => `/topics/${id}`,
  template: ({ id }) => `/templates/${id}`,
  automation: ({ id }) => `/automations/${id}`,
  automation_run: ({ id, parent_id: parent }) => `/automations/${parent}/runs/${id}`,
  webhook: ({ id }) => `/webhooks/${id}`,
  webhook_event: ({ id, parent_id: parent }) => `/webhooks/${parent}/events/${id}`,
  suppression: ({ id }) => `/suppressions/${id}`,
  log: ({ id }) => `/logs/${id}`,
  event: ({ id }) => `/events/${id}`,
  contact_import: ({ id }) => `/imports/${id}`,
  contact_property: ({ id }) => `/properties/${id}`,
  api_key: () => '/api-keys',
  oauth_grant: () => '/grants',
  member: () => '/members',
}

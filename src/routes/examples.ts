// Ids and times that the examples of the OpenAPI document share.
export const EXAMPLE_EMAIL_ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10'
export const EXAMPLE_ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c21'
export const EXAMPLE_CONTACT_ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c32'
export const EXAMPLE_SEGMENT_ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c43'
export const EXAMPLE_TOPIC_ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c54'
export const EXAMPLE_TIME = '2026-11-20 09:30:00.123000+00'

/** As lists show it. */
export const EXAMPLE_CONTACT = {
  object: 'contact' as const,
  id: EXAMPLE_CONTACT_ID,
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Lovelace',
  created_at: EXAMPLE_TIME,
  unsubscribed: false,
}

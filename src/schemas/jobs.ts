// Names of the jobs: who enqueues one and who runs it must agree.

/** Fetches the attachments of an email that were named by URL. */
export const FETCH_ATTACHMENTS = 'fetch-attachments'

/** Removes the values of a contact property that was deleted. */
export const REMOVE_PROPERTY_VALUES = 'remove-property-values'

/** Removes the memberships of a segment, or the subscriptions to a topic, that was deleted. */
export const REMOVE_MEMBERS = 'remove-members'

/** Reads a file of contacts. */
export const IMPORT_CONTACTS = 'import-contacts'

/** One import of a team at a time. */
export const importQueueOf = (teamId: string): string => `${IMPORT_CONTACTS}/${teamId}`

/** Fetches of one team that run at the same time: slow servers of one team may not keep the others waiting. */
const FETCH_QUEUES_PER_TEAM = 2

/** The queue in which an email is fetched. Its last digit is random, so the emails of a team spread evenly. */
export const fetchQueueOf = (teamId: string, emailId: string): string =>
  `${FETCH_ATTACHMENTS}/${teamId}/${Number.parseInt(emailId.slice(-1), 16) % FETCH_QUEUES_PER_TEAM}`

// Names of the jobs: who enqueues one and who runs it must agree.

/** Fetches the attachments of an email that were named by URL. */
export const FETCH_ATTACHMENTS = 'fetch-attachments'

/** Removes the values of a contact property that was deleted. */
export const REMOVE_PROPERTY_VALUES = 'remove-property-values'

export type RemoveValuesPayload = { teamId: string; number: number }

/** Removes the memberships of a segment, or the subscriptions to a topic, that was deleted. */
export const REMOVE_MEMBERS = 'remove-members'

export type RemoveMembersPayload = { segmentId: string } | { topicId: string }

/** Looks for what either of the two before has missed, and has it removed. */
export const FIND_LEFTOVERS = 'find-leftovers'

/** Reads a file of contacts. */
export const IMPORT_CONTACTS = 'import-contacts'

/** About two minutes in all. */
const TRIES_MAX = 5
/** The most that a job can have. They come every six hours in the end, so they last longer than the service. */
const TRIES_WITHOUT_END = 32_767

/** What removes personal data is never given up: rows may be in use, the database away or the service stopped as often as they like. */
export const triesMaxOf = (task: string): number =>
  task === REMOVE_PROPERTY_VALUES || task === REMOVE_MEMBERS ? TRIES_WITHOUT_END : TRIES_MAX

/** One import of a team at a time. */
export const importQueueOf = (teamId: string): string => `${IMPORT_CONTACTS}/${teamId}`

/** Fetches of one team that run at the same time: slow servers of one team may not keep the others waiting. */
const FETCH_QUEUES_PER_TEAM = 2

/** The queue in which an email is fetched. Its last digit is random, so the emails of a team spread evenly. */
export const fetchQueueOf = (teamId: string, emailId: string): string =>
  `${FETCH_ATTACHMENTS}/${teamId}/${Number.parseInt(emailId.slice(-1), 16) % FETCH_QUEUES_PER_TEAM}`

// Names of the jobs: who enqueues one and who runs it must agree.

/** Fetches the attachments of an email that were named by URL. */
export const FETCH_ATTACHMENTS = 'fetch-attachments'

// Acts over many contacts, as the pages name them.
import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../api/client'
import { keyOf, type RecordOf } from '../api/queries'
import type { components } from '../api/schema'
import { countOf } from '../parts/numbers'
import { CONTACT_JOB_TEXTS as TEXTS } from '../texts/contact-jobs'

export type ContactJob = RecordOf<'/contacts/jobs/{contact_job_id}'>
export type ActType = ContactJob['act']['type']
export type Selection = components['schemas']['ContactSelection']

export const isOver = ({ status }: ContactJob): boolean => status !== 'queued' && status !== 'in_progress'

/** How many contacts a selection has; those that were chosen one by one need no question. */
export const useSelectionCount = (contacts: Selection, isEnabled: boolean) =>
  useQuery({
    queryKey: keyOf('/contacts/counts', contacts),
    queryFn: () => answer(api.POST('/contacts/counts', { body: { contacts: contacts as never } })),
    enabled: isEnabled,
    retry: false,
  })

/** `12,345`, or `at least 12,345`. */
export const countWords = ({ contacts, is_exact }: { contacts: number; is_exact: boolean }): string =>
  is_exact ? countOf(contacts) : TEXTS.atLeast(countOf(contacts))

/** Which contacts a job is for, in words. */
export function selectionWords({ ids_count, segment_id, search, filter, broadcast_id }: ContactJob['contacts']): string {
  const { selections } = TEXTS
  if (ids_count !== null) return selections.ids(countOf(ids_count))
  if (segment_id !== null) return selections.segment
  if (search !== null) return selections.search(search)
  if (broadcast_id !== null) return selections.broadcast
  return filter === null ? selections.all : selections.filter
}

// What the team has that steps can name.
import { type RowOf, type Rows, useAllRows } from '../../api/queries'
import { useMay } from '../../session/me'

export type Known = {
  templates: readonly RowOf<'/templates'>[]
  segments: readonly RowOf<'/segments'>[]
  topics: readonly RowOf<'/topics'>[]
  properties: readonly RowOf<'/contact-properties'>[]
  events: readonly RowOf<'/events'>[]
  /** Whether values that occur in contacts may be shown. */
  mayReadValues: boolean
  /** The lists that were read to their end: what is not in one of them is not there. */
  isComplete: { templates: boolean; segments: boolean; topics: boolean }
}

/** A role that may not read a list sees names of none. */
export function useKnown(): Known {
  const may = useMay()
  const templates = useAllRows('/templates', { isEnabled: may('templates:read') })
  const segments = useAllRows('/segments', { isEnabled: may('segments:read') })
  const topics = useAllRows('/topics', { isEnabled: may('topics:read') })
  const properties = useAllRows('/contact-properties', { isEnabled: may('contact-properties:read') })
  const events = useAllRows('/events', { isEnabled: may('events:read') })
  const isWhole = (list: Pick<Rows<unknown>, 'isLoading' | 'hasMore' | 'error'>, scope: string): boolean =>
    may(scope) && !list.isLoading && !list.hasMore && !list.error
  return {
    templates: templates.rows,
    segments: segments.rows,
    topics: topics.rows,
    properties: properties.rows,
    events: events.rows,
    mayReadValues: may('contacts:read'),
    isComplete: {
      templates: isWhole(templates, 'templates:read'),
      segments: isWhole(segments, 'segments:read'),
      topics: isWhole(topics, 'topics:read'),
    },
  }
}

/** A step names a template by its id or its alias. */
export const templateNamed = ({ templates }: Pick<Known, 'templates'>, name: string): Known['templates'][number] | undefined =>
  templates.find(({ id, alias }) => id === name || alias === name)

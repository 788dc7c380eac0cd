// How imports are called, and how they stand.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { ImportStatus } from '../../modules/audience/imports/imports.schema.ts'

export const ADDRESS = '/console/imports'

export const pathOf = ({ id }: { id: string }): string => `${ADDRESS}/${id}`

/** The colors are those of states of emails. */
export const importMark = (status: ImportStatus): SafeHtml => html`<span class="state ${COLORS[status]}">${WORDS[status]}</span>`

const COLORS: Record<ImportStatus, string> = { queued: 'pending', in_progress: 'sent', completed: 'delivered', failed: 'failed' }
const WORDS: Record<ImportStatus, string> = { queued: 'waiting', in_progress: 'in progress', completed: 'completed', failed: 'failed' }

// How a template stands, in words with a color.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { TemplateSummaryRow } from '../../modules/templates/template-versions.repository.ts'

export const ADDRESS = '/console/templates'

export const templateAddress = ({ id }: Pick<TemplateSummaryRow, 'id'>): string => `${ADDRESS}/${id}`

/** The colors are those of states of emails. */
export function templateMark({ publishedVersionId, currentVersionId }: TemplateSummaryRow): SafeHtml {
  if (publishedVersionId === null) return mark('canceled', 'draft')
  return publishedVersionId === currentVersionId ? mark('delivered', 'published') : mark('pending', 'published, with a newer draft')
}

const mark = (color: string, words: string): SafeHtml => html`<span class="state ${color}">${words}</span>`

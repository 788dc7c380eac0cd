// Templates for tests: a valid one to change, and how to make it.

import { create } from '../records/record-builder.ts'
import type { CallOptions, TestService } from '../servers/service.ts'
import { TIMESTAMP, UUID } from './answers.ts'

/** The body of a valid POST /templates; a field that is set to undefined is left out. */
export const templateInput = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: 'Order confirmation',
  from: 'Acme <hello@example.com>',
  subject: '{{{PRODUCT}}} is on its way',
  html: '<p>Thank you for {{{PRODUCT}}}.</p>',
  variables: [{ key: 'PRODUCT', type: 'string', fallback_value: 'your order' }],
  ...changes,
})

/** The API's answer about the template of `templateInput`, a draft. */
export const templateRecord = (id: string, changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  object: 'template',
  id,
  current_version_id: UUID,
  published_version_id: null,
  has_unpublished_versions: true,
  name: 'Order confirmation',
  status: 'draft',
  published_at: null,
  created_at: TIMESTAMP,
  updated_at: TIMESTAMP,
  alias: null,
  from: 'Acme <hello@example.com>',
  subject: '{{{PRODUCT}}} is on its way',
  reply_to: null,
  html: '<p>Thank you for {{{PRODUCT}}}.</p>',
  text: null,
  content_document: null,
  variables: [variableRecord('PRODUCT', { fallback_value: 'your order' })],
  ...changes,
})

export const variableRecord = (key: string, changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: UUID,
  key,
  type: 'string',
  fallback_value: null,
  created_at: TIMESTAMP,
  updated_at: TIMESTAMP,
  ...changes,
})

export const createTemplate = (service: TestService, changes: Record<string, unknown> = {}, options: CallOptions = {}): Promise<string> =>
  create(service, '/templates', templateInput(changes), options)

export async function publishedTemplate(service: TestService, changes: Record<string, unknown> = {}): Promise<string> {
  const id = await createTemplate(service, changes)
  return create(service, `/templates/${id}/publish`, undefined)
}

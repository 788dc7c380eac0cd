import createClient from 'openapi-fetch'
import type { paths } from '../out/types.d.ts'
import { AUTHORIZATION, makeTenCalls, SERVICE_URL } from './ten-calls.ts'

// Only types are generated, which have no address.
const client = createClient<paths>({ baseUrl: SERVICE_URL, headers: { authorization: AUTHORIZATION } })

async function answer<Reply>(reply: Promise<{ data?: Reply; error?: unknown }>): Promise<Reply> {
  const { data, error } = await reply
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}

/** The types have no form. A list is one part for each item. */
function formOf({ file, segments }: { file: File; segments: { id: string }[] }): FormData {
  const form = new FormData()
  form.append('file', file)
  for (const segment of segments) form.append('segments', JSON.stringify(segment))
  return form
}

await makeTenCalls('openapi-fetch', {
  sendEmail: (body) => answer(client.POST('/emails', { body })),
  retrieveEmail: (email_id) => answer(client.GET('/emails/{email_id}', { params: { path: { email_id } } })),
  listEmails: () => answer(client.GET('/emails')),
  cancelEmail: (email_id) => answer(client.POST('/emails/{email_id}/cancel', { params: { path: { email_id } } })),
  createSegment: (body) => answer(client.POST('/segments', { body })),
  createTopic: (body) => answer(client.POST('/topics', { body })),
  createContact: (body) => answer(client.POST('/contacts', { body })),
  importContacts: (fields) =>
    answer(client.POST('/contacts/imports', { body: { ...fields, file: '' }, bodySerializer: () => formOf(fields) })),
  retrieveImport: (contact_import_id) =>
    answer(client.GET('/contacts/imports/{contact_import_id}', { params: { path: { contact_import_id } } })),
  listContacts: (query) => answer(client.GET('/contacts', { params: { query } })),
})

import { client } from '../out/hey-api/client.gen.ts'
import * as api from '../out/hey-api/index.ts'
import { AUTHORIZATION, makeTenCalls, SERVICE_URL } from './ten-calls.ts'

// It takes an address of the document as it stands, without values for the variables.
client.setConfig({ baseUrl: SERVICE_URL, headers: { authorization: AUTHORIZATION } })
const throwOnError = true

await makeTenCalls('hey-api', {
  sendEmail: async (body) => (await api.emailsSend({ throwOnError, body })).data,
  retrieveEmail: async (email_id) => (await api.emailsRetrieve({ throwOnError, path: { email_id } })).data,
  listEmails: async () => (await api.emailsList({ throwOnError })).data,
  cancelEmail: async (email_id) => (await api.emailsCancel({ throwOnError, path: { email_id } })).data,
  createSegment: async (body) => (await api.segmentsCreate({ throwOnError, body })).data,
  createTopic: async (body) => (await api.topicsCreate({ throwOnError, body })).data,
  createContact: async (body) => (await api.contactsCreate({ throwOnError, body })).data,
  importContacts: async (body) => (await api.contactsImportsCreate({ throwOnError, body })).data,
  retrieveImport: async (contact_import_id) => (await api.contactsImportsRetrieve({ throwOnError, path: { contact_import_id } })).data,
  listContacts: async (query) => (await api.contactsList({ throwOnError, query })).data,
})

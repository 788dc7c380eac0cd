import { createApiClient } from '../out/zod.ts'
import { AUTHORIZATION, makeTenCalls, SERVICE_URL } from './ten-calls.ts'

// It checks each body and each answer against the schemas. It generates nothing from `servers`.
const api = createApiClient(SERVICE_URL, { axiosConfig: { headers: { authorization: AUTHORIZATION } } })

await makeTenCalls(
  'zodios',
  {
    sendEmail: (email) => api['emails.send'](email),
    retrieveEmail: (email_id) => api['emails.retrieve']({ params: { email_id } }),
    listEmails: () => api['emails.list'](),
    cancelEmail: (email_id) => api['emails.cancel'](undefined, { params: { email_id } }),
    createSegment: (segment) => api['segments.create'](segment),
    createTopic: (topic) => api['topics.create'](topic),
    createContact: (contact) => api['contacts.create'](contact),
    // It writes records of a form as [object Object], so the import is one without segments.
    importContacts: ({ file }) => api['contacts.imports.create']({ file }),
    retrieveImport: (contact_import_id) => api['contacts.imports.retrieve']({ params: { contact_import_id } }),
    listContacts: (query) => api['contacts.list']({ queries: query }),
  },
  { sendsSegments: false },
)

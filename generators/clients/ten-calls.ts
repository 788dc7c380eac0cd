// The ten calls that each client makes, and what it must have got.

export type Client = {
  sendEmail(email: { from: string; to: string; subject: string; text: string; scheduled_at: string }): Promise<{ id: string }>
  retrieveEmail(id: string): Promise<{ last_event: string | null }>
  listEmails(): Promise<{ data: unknown[] }>
  cancelEmail(id: string): Promise<{ id: string }>
  createSegment(segment: { name: string }): Promise<{ id: string }>
  createTopic(topic: { name: string; default_subscription: 'opt_in' }): Promise<{ id: string }>
  listTopics(): Promise<{ data: unknown[] }>
  createContact(contact: { email: string; first_name: string }): Promise<{ id: string }>
  importContacts(fields: { file: File; segments: { id: string }[] }): Promise<{ id: string }>
  retrieveImport(id: string): Promise<{ object: string }>
}

export async function makeTenCalls(name: string, client: Client): Promise<void> {
  const expected = (isTrue: boolean, what: string): void => {
    if (!isTrue) throw new Error(`${name}: ${what}`)
  }
  const { id } = await client.sendEmail({
    ...{ from: 'Acme <hello@example.com>', to: 'ada@example.org', subject: name, text: 'Hello.' },
    // English in a field without a format: a client that checks times must let it pass.
    scheduled_at: 'in 1 hour',
  })
  expected((await client.retrieveEmail(id)).last_event === 'scheduled', 'the email is not scheduled')
  expected((await client.listEmails()).data.length > 0, 'no email is listed')
  expected((await client.cancelEmail(id)).id === id, 'another email was canceled')
  const segment = await client.createSegment({ name })
  await client.createTopic({ name, default_subscription: 'opt_in' })
  expected((await client.listTopics()).data.length > 0, 'no topic is listed')
  await client.createContact({ email: `${name}@example.com`, first_name: 'Ada' })
  const file = new File([`email\n${name}-imported@example.com\n`], 'contacts.csv', { type: 'text/csv' })
  const imported = await client.importContacts({ file, segments: [{ id: segment.id }] })
  expected((await client.retrieveImport(imported.id)).object === 'contact_import', 'the import is no import')
}

export const SERVICE_URL = process.env.SERVICE_URL ?? ''
export const AUTHORIZATION = `Bearer ${process.env.SERVICE_KEY ?? ''}`

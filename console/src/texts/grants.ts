export const GRANT_TEXTS = {
  title: 'Grants',
  hint: 'Programs that a person of your team has given access. When you end it, the program stops working at once, and emails that it has scheduled fail. API keys that it made stay, and work on.',
  empty:
    'No program has had access. A program, such as an assistant that works with your mail, asks for it over OAuth; a person of your team then agrees, and it appears here.',
  program: 'Program',
  may: 'May',
  scopes: (count: number) => `${count} scopes`,
  by: 'Allowed by',
  beforePeople: 'before people signed in',
  since: 'Since',
  state: 'State',
  active: 'active',
  ended: 'ended',
  end: 'End the access',
  endQuestion: (name: string) => `${name} stops working at once. Emails that it has scheduled fail. It has to ask again.`,
  endedNow: 'The access was ended',
}

/** Connections to the mail server, for everybody. */
export const CONNECTIONS = 20

/** A small transactional email. */
export const email = (index: number) => ({
  from: 'Acme <hello@example.com>',
  to: `customer${index}@example.org`,
  subject: `Your receipt number ${index}`,
  html: `<p>Hello,</p><p>thank you for your order number <strong>${index}</strong>. It is on its way.</p><p>Acme</p>`,
  text: `Hello,\n\nthank you for your order number ${index}. It is on its way.\n\nAcme\n`,
})

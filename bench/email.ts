/** Connections to the mail server, in every measurement. */
export const CONNECTIONS = 20

export const SENDING_DOMAIN = 'example.com'

export type BenchEmail = { from: string; to: string; subject: string; html: string; text: string }

/** A small transactional email. */
export const email = (index: number, to = `customer${index}@example.org`): BenchEmail => ({
  from: `Acme <hello@${SENDING_DOMAIN}>`,
  to,
  subject: `Your receipt number ${index}`,
  html: `<p>Hello,</p><p>thank you for your order number <strong>${index}</strong>. It is on its way.</p><p>Acme</p>`,
  text: `Hello,\n\nthank you for your order number ${index}. It is on its way.\n\nAcme\n`,
})

/** One with 100 KB of HTML, in lines as long as those of a newsletter. */
export const largeEmail = (index: number, to?: string): BenchEmail => ({ ...email(index, to), html: LARGE_HTML })

const LARGE_BYTES = 100 * 1024
const LINE = '<tr><td style="padding:4px"><a href="https://shop.example/order?item=1">A line of the order, with its price</a></td></tr>\n'
const LARGE_HTML = `<table>\n${LINE.repeat(Math.ceil(LARGE_BYTES / LINE.length))}</table>\n`

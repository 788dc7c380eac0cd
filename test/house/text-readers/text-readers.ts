// Every function of the service that reads text from strangers, by its name. More than one way to read is told apart by what follows the name.
import { AUDIENCE_READERS } from './audience.ts'
import { CONTENT_READERS } from './contents.ts'
import { DOMAIN_READERS } from './domains.ts'
import { EMAIL_READERS } from './emails.ts'
import { INCOMING_MAIL_READERS } from './incoming-mail.ts'
import { READERS_OUTSIDE_MAIL } from './outside-mail.ts'
import { REPORT_READERS } from './reports.ts'

/** A list, so that each of two ways with the same name is tried. */
export const TEXT_READERS = [
  CONTENT_READERS,
  EMAIL_READERS,
  INCOMING_MAIL_READERS,
  REPORT_READERS,
  DOMAIN_READERS,
  AUDIENCE_READERS,
  READERS_OUTSIDE_MAIL,
].flatMap((readers) => Object.entries(readers))

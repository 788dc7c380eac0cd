import { countOf } from '../parts/numbers'

const people = (count: number): string => (count === 1 ? '1 contact' : `${countOf(count)} contacts`)

export const SENDING_TEXTS = {
  title: 'Send the broadcast',
  rescheduleTitle: 'Send it at another time',
  who: 'Who gets it',
  segment: 'Segment that gets it',
  segmentChanged: 'It goes to another segment now',
  counting: 'The recipients are being counted …',
  notCounted: (segment: string) => `It goes to every subscribed contact of ${segment}. How many these are could not be counted.`,
  getIt: (count: number, isExact: boolean) => `${isExact ? '' : 'At least '}${people(count)}`,
  of: (count: number) => (count === 1 ? 'gets it, of the segment' : 'get it, of the segment'),
  ofTopic: 'about',
  getNothing: (count: number) => (count === 1 ? '1 contact of the segment does not:' : `${countOf(count)} contacts of the segment do not:`),
  unsubscribed: (count: number) => `${countOf(count)} unsubscribed`,
  notInTopic: (count: number) => `${countOf(count)} ${count === 1 ? 'is' : 'are'} not subscribed to`,
  theTopic: 'the topic',
  suppressed: (count: number) => `${countOf(count)} ${count === 1 ? 'is' : 'are'} on the`,
  suppressionList: 'suppression list',
  everyone: 'No one in the segment is left out.',
  notExact: 'Counting all of them takes too long.',
  checks: 'Before you send it',
  when: 'When',
  now: 'Now',
  later: 'At a time',
  pace: 'How fast',
  spread: 'Spread it over time',
  spreadHint: 'This leaves time to pause it, and keeps your site from being visited by everyone at once.',
  rate: 'Recipients an hour',
  takes: (time: string) => `It takes about ${time}.`,
  asFast: 'It goes out as fast as the mail servers take it.',
  finally: 'What is delivered cannot be taken back. Send yourself a test first.',
  typeNumber: (text: string) => `Type ${text} to confirm`,
  sendAct: 'Send it now',
  scheduleAct: 'Schedule it',
  rescheduleAct: 'Change the time',
  sent: 'The broadcast is being sent',
  scheduled: 'The broadcast is scheduled',
  errorsFirst: 'It can be sent once the errors above are corrected.',
  stay: 'Stay here',
  notADraft: 'This broadcast is being sent, or was sent.',
  timeMissing: 'Choose a day and a time.',
  timePast: 'This time has passed. Choose a later one.',
  timeFar: 'A broadcast can be scheduled at most 30 days ahead.',
}

export const SENDER_TEXTS = {
  used: 'Used before',
  domains: 'Verified domains',
  verified: (names: readonly string[], count: number) =>
    `From a verified domain: ${names.join(', ')}${count > names.length ? ` and ${count - names.length} more` : ''}`,
}

export const WHEN_TEXTS = {
  at: 'Day and time',
  zone: 'Time zone',
  zoneNone: 'There is no such time zone.',
  own: 'your own',
  tomorrow: 'Tomorrow at 09:00',
  monday: 'Next Monday at 09:00',
  hour: 'In an hour',
  hours: 'Hours',
  minutes: 'Minutes',
  done: 'Use this time',
  previous: 'Earlier',
  next: 'Later',
  there: (text: string, place: string) => `${text} in ${place}`,
  here: (text: string, place: string) => `For you, in ${place}, that is ${text}.`,
  isOwn: 'This is your own time zone.',
  skipped: (place: string, text: string) => `The clocks in ${place} go forward then, and do not show this time. It is sent at ${text}.`,
  twice: (place: string) => `The clocks in ${place} go back then, and show this time twice. Choose which one is meant.`,
  first: (text: string) => `First: ${text}`,
  second: (text: string) => `Second: ${text}`,
}

export const ZONED_TIME_TEXTS = {
  there: (text: string, place: string) => `${text} in ${place}`,
  utc: (text: string) => `${text} UTC`,
  both: (there: string, here: string) => `${there} (${here} here)`,
}

export const PROGRESS_TEXTS = {
  title: 'How far it is',
  sentOf: (sent: string, total: string) => `${sent} of ${total} sent`,
  ofAtLeast: (total: string) => `at least ${total}`,
  rate: 'Rate now',
  perHour: (count: string) => `${count} an hour`,
  perMinute: (count: string) => `${count} a minute`,
  measuring: 'being measured …',
  atMost: (count: string) => `at most ${count} an hour`,
  left: 'Time left',
  waiting: 'Waiting',
  emailsWaiting: (count: string) => `${count} emails`,
  suppressedToo: (count: string, number: number) =>
    `${count} more ${number === 1 ? 'is' : 'are'} on the suppression list and ${number === 1 ? 'gets' : 'get'} nothing.`,
  paused: (sent: string, waiting: string) =>
    `The ${sent} emails that were sent cannot be called back: mail servers have accepted them, or are about to. The other ${waiting} wait until you resume it. If you cancel it, they are never sent.`,
  pauseHint: 'You can pause it: what has been sent stays sent, and everything else waits.',
}

export const CHECK_TEXTS = {
  title: 'Checks',
  checking: 'It is being checked …',
  nothing: 'No problems were found.',
  error: 'Error',
  warning: 'Warning',
  errors: (count: number) => (count === 1 ? '1 error' : `${countOf(count)} errors`),
  warnings: (count: number) => (count === 1 ? '1 warning' : `${countOf(count)} warnings`),
  size: (kilobytes: string) => `${kilobytes} KB of HTML`,
  again: 'Check again',
  outdated: 'This is out of date: it has been changed since. It is checked again once it is saved.',
  domains: 'Domains',
  segment: 'The segment',
  edit: 'Change it',
  usage: 'Usage',
}

import type { ConnectionType } from '../automations/graph'

export const AUTOMATION_TEXTS = {
  title: 'Automations',
  empty:
    'An automation says what contacts get when something happens to them: a welcome series, a reminder. Create the first one from an example, and try it before you enable it.',
  name: 'Name',
  state: 'State',
  runs: 'Runs',
  changed: 'Changed',
  created: 'Created',
  steps: 'Steps',
  stepList: 'Steps in their order',
  step: 'Step',
  next: 'Then',
  end: 'nothing more',
  graph: 'Drawing of the steps',
  entered: 'entered',
  waiting: 'waiting',
  done: 'done',
  failed: 'failed',
  needsAttention: 'Needs attention',
  stoppedTitle: 'This automation was stopped',
  stoppedAt: 'It was stopped',
  stoppedRuns: (count: string, exactly: number) =>
    exactly === 0
      ? 'No run was under way. '
      : exactly === 1
        ? '1 run was canceled. '
        : exactly > 10_000
          ? `More than ${count} runs were canceled. `
          : `${count} runs were canceled. `,
  stoppedMail: 'No run is under way, and no further one starts. Emails that were accepted before are still delivered.',
  held: 'A contact started it so often that further runs were not made:',
  heldContact: 'the contact',
  heldMeans:
    'It is probably part of a loop, such as two automations that start each other. Stop it, and change its steps or how often it runs again.',
  details: 'Details',
  settings: 'Settings',
  event: 'Event',
  class: 'Emails',
  reentry: 'Runs again',
  reentries: {
    always: 'whenever its event is sent',
    once: 'never for the same contact',
    not_while_running: 'unless a run of the contact is running',
  } as Readonly<Record<string, string>>,
  runsMax: 'At most',
  runsMaxOf: (count: string) => `${count} runs for each contact`,
  counted: (runs: string) => `${runs}. Of runs that have ended, the newest 1,000 are counted.`,
  noRuns: 'There are no such runs.',
  contact: 'Contact',
  reason: 'Reason',
  started: 'Started',
  ended: 'Ended',
  run: 'Run',
  path: 'Path',
  result: 'Result',
  until: 'until',
  theEmail: 'The email',
  changedSince: 'The steps were changed after this run had started. It goes on with those of its start, which are listed below.',
  layout: 'The drawing is being made …',
}

export const AUTOMATION_ACT_TEXTS = {
  enable: 'Enable',
  enableQuestion: 'From now on, a run starts whenever its event is sent for a contact.',
  enabled: 'The automation is enabled',
  disable: 'Disable',
  disableQuestion: 'No further run starts. Runs that are under way go on to their end; to end them too, stop the automation.',
  disabled: 'The automation is disabled',
  stop: 'Stop',
  stopAct: 'Stop it now',
  stopQuestion:
    'It is going to be disabled, and all its runs that are under way are canceled at once. To let these go on, disable it instead. Emails that were accepted before are still delivered.',
  stopped: 'The automation is stopped: its running runs are canceled',
  more: 'More',
  duplicate: 'Duplicate',
  duplicated: 'This is the copy. It is disabled.',
  remove: 'Delete',
  removeQuestion: 'The automation and its runs are gone, and running ones end at once. This cannot be undone.',
  removed: 'The automation was deleted',
  edit: 'Settings',
  saved: 'Saved',
  name: 'Name',
  class: 'Class of its emails',
  reentry: 'Runs again',
  runsMax: 'Runs for each contact, at most',
  runsMaxHint: 'Empty: any number',
  notJson: (problem: string) => `This is no JSON: ${problem}`,
}

export const SIMULATION_TEXTS = {
  open: 'Simulate',
  title: 'Simulate the automation',
  hint: 'Shows what the automation would do for a contact. Nothing is stored or sent.',
  email: 'Address of the contact',
  emailHint: 'Of a contact that exists, or of someone new',
  payload: 'Payload of the event (JSON)',
  fields: 'What the event says',
  events: 'Events meanwhile',
  event: 'Event',
  after: 'After',
  add: 'Add an event',
  run: 'Simulate',
  result: 'What would happen',
  emails: 'Emails',
  noEmails: 'No email would be sent.',
  waitsUntil: 'waits until',
  to: 'To',
}

/** How the fields of an event are typed. */
export const FIELD_HINTS: Readonly<Record<string, string>> = {
  string: 'Text',
  number: 'Number',
  boolean: 'true or false',
  date: 'Date, such as 2026-01-31',
}

export const STEP_NAMES: Readonly<Record<string, string>> = {
  trigger: 'Trigger',
  send_email: 'Send an email',
  delay: 'Wait for a time',
  wait_for_event: 'Wait for an event',
  condition: 'Condition',
  contact_update: 'Change the contact',
  contact_delete: 'Delete the contact',
  add_to_segment: 'Add to a segment',
}

export const CONNECTION_NAMES: Readonly<Record<ConnectionType, string>> = {
  default: '',
  condition_met: 'Yes',
  condition_not_met: 'No',
  event_received: 'It happened',
  timeout: 'Time is up',
}

export const OPERATOR_NAMES: Readonly<Record<string, string>> = {
  eq: '=',
  neq: '≠',
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
  contains: 'contains',
  starts_with: 'starts with',
  ends_with: 'ends with',
  exists: 'is there',
  is_empty: 'is empty',
}

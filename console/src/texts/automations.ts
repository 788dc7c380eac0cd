import type { ConnectionType } from '../automations/graph'

export const AUTOMATION_TEXTS = {
  title: 'Automations',
  empty:
    'An automation says what contacts get when something happens to them: a welcome series, a reminder. Create the first one from an example, and try it before you enable it.',
  name: 'Name',
  state: 'State',
  runs: 'Runs',
  running: 'Running',
  failedLately: 'Failed lately',
  moreThan: (count: string) => `over ${count}`,
  changed: 'Changed',
  created: 'Created',
  steps: 'Steps',
  stepList: 'Steps in their order',
  sends: 'Send',
  addsTo: 'Add to',
  stepCount: (count: number) => (count === 1 ? '1 step' : `${count} steps, as a list`),
  step: 'Step',
  next: 'Then',
  end: 'nothing more',
  graph: 'Drawing of the steps',
  entered: 'entered',
  waiting: 'waiting',
  done: 'done',
  failed: 'failed',
  skipped: 'skipped',
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
  stoppedRunsAtLeast: (count: number) => `At least ${count} runs were canceled. `,
  stoppedMail: 'No run is under way, and no further one starts. Emails that were accepted before are still delivered.',
  held: 'A contact started it so often that further runs were not made:',
  heldContact: 'the contact',
  heldMeans:
    'It is probably part of a loop, such as two automations that start each other. Stop it, and change its steps or how often it runs again.',
  details: 'Details',
  settings: 'Settings',
  event: 'Event',
  runsMax: 'At most',
  runsMaxOf: (count: string) => `${count} runs for each contact`,
  counted: (runs: string) => `${runs}. Of runs that have ended, the newest 1,000 are counted.`,
  noRuns: 'There are no such runs.',
  contact: 'Contact',
  started: 'Started',
  ended: 'Ended',
  run: 'Run',
  path: 'Path',
  result: 'Result',
  until: 'until',
  cameLate: 'It came later:',
  theEmail: 'The email',
  changedSince: 'The steps were changed after this run had started. It continues with those of its start, which are listed below.',
  layout: 'The drawing is being made …',
}

export const AUTOMATION_SETTINGS_TEXTS = {
  name: 'Name of the automation',
  nameTaken: 'Another automation has this name already.',
  class: 'Its emails are',
  classes: { bulk: 'Bulk email, such as marketing: with a way to unsubscribe', transactional: 'Transactional: what someone asked for' },
  reentry: 'For the same contact it starts',
  reentries: { once: 'once', not_while_running: 'again, once it has ended', always: 'every time' },
}

export const AUTOMATION_ACT_TEXTS = {
  enable: 'Enable',
  enableQuestion: 'From now on, a run starts whenever its event is sent for a contact.',
  enabled: 'The automation is enabled',
  disable: 'Disable',
  disabled: 'The automation is disabled',
  stop: 'Stop',
  stopAct: 'Stop it now',
  stopped: 'The automation is stopped: its running runs are canceled',
  duplicate: 'Duplicate',
  duplicated: 'This is the copy. It is disabled.',
  remove: 'Delete',
  removeQuestion: 'The automation and its runs are gone, and running ones end at once. This cannot be undone.',
  removed: 'The automation was deleted',
  edit: 'Settings',
  saved: 'Saved',
  runsMax: 'Runs for each contact, at most',
  runsMaxHint: 'Empty: any number',
  notJson: (problem: string) => `This is no JSON: ${problem}`,
}

export const ENDING_TEXTS = {
  title: 'What disabling and stopping do',
  ways: { disable: 'Disable', stop: 'Stop' },
  rows: [
    { what: 'New runs', disable: 'None start', stop: 'None start' },
    { what: 'Runs under way', disable: 'Go on to their end', stop: 'Are canceled at once' },
    { what: 'Emails accepted before', disable: 'Are delivered', stop: 'Are delivered' },
  ],
  hint: {
    disable: 'To end the runs that are under way too, stop it instead. You can enable it again at any time.',
    stop: 'To let the runs that are under way go on, disable it instead. Canceled runs do not come back when you enable it again.',
  },
}

export const SIMULATION_TEXTS = {
  open: 'Simulate',
  title: 'Simulate the automation',
  hint: 'Shows what the automation would do for a contact. Nothing is stored or sent.',
  email: 'Address of the contact',
  emailHint: 'Of a contact that exists, or of someone new',
  payload: 'Payload of the event (JSON)',
  fields: 'What the event says',
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
  trigger: 'Start',
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

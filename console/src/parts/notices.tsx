// Notifications at the edge of the page: of what was done, and of what failed where no form is open that says so.
import { List } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { ErrorSentence } from './ErrorAlert'
import { withCode } from './with-code'

/** Long enough to read two sentences and to copy an id. */
const ERROR_MS = 15_000
/** Long enough to read one. */
const DONE_MS = 8_000

export const notifyDone = (message: string): void => {
  notifications.show({ message, color: 'green', autoClose: DONE_MS })
}

export const notifyError = (error: Error, title?: string): void => {
  notifications.show({ title, message: <ErrorSentence error={error} />, color: 'red', autoClose: ERROR_MS })
}

/** What is doubtful about something that was done. It stays until it is closed. */
export function notifyWarnings(title: string, warnings: readonly string[]): void {
  if (warnings.length === 0) return
  const message = (
    <List size="sm">
      {warnings.map((warning) => (
        <List.Item key={warning}>{withCode(warning)}</List.Item>
      ))}
    </List>
  )
  notifications.show({ title, message, color: 'orange', autoClose: false })
}

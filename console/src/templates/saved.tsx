import { List } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { withCode } from '../parts/withCode'
import { TEMPLATE_FORM_TEXTS as TEXTS } from '../texts/templates'

/** That it was saved, and what is doubtful about it: placeholders that nothing can fill in. */
export function saySaved(warnings: readonly string[]): void {
  notifications.show({ message: TEXTS.saved, color: 'green' })
  if (warnings.length === 0) return
  notifications.show({
    title: TEXTS.warnings,
    color: 'orange',
    autoClose: false,
    message: (
      <List size="sm">
        {warnings.map((warning) => (
          <List.Item key={warning}>{withCode(warning)}</List.Item>
        ))}
      </List>
    ),
  })
}

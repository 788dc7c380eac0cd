import { Alert } from '@mantine/core'
import { withCode } from '../parts/with-code'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'

/** On every page while mail is kept: what the pages say of sending is not true of people's mailboxes then. */
export const CaptureNotice = () => (
  <Alert color="gray" py={6} mb="md" maw={1280} mx="auto" role="note">
    {withCode(TEXTS.captured)}
  </Alert>
)

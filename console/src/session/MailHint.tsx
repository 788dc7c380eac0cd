import { Alert, Stack, Text } from '@mantine/core'
import { Copyable } from '../parts/Copyable'
import { SESSION_TEXTS as TEXTS } from '../texts/session'
import { useIsMailDoubtful, useMe } from './me'

type MailHintProps = {
  /** What is said where mail is known to leave the installation. */
  sentence: string
  /** What prints the code or link on the server, after `posthaste`, with these words. */
  command: readonly string[]
}

/** For a shell: someone pastes it, and an address may have any characters. */
const shellWord = (word: string): string => (/^[\w.@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** Says that something is mailed to a person, or how its operator gets it where that is not certain. */
export function MailHint({ sentence, command }: MailHintProps) {
  const { installation } = useMe()
  const isDoubtful = useIsMailDoubtful()
  if (!isDoubtful) return <Text size="sm">{sentence}</Text>
  return (
    <Stack gap="xs">
      {installation.delivery !== 'capture' && <Text size="sm">{sentence}</Text>}
      <Alert color="orange">
        <Stack gap="xs">
          <Text size="sm">{installation.delivery === 'capture' ? TEXTS.mailIsKept : TEXTS.noMailYet}</Text>
          <Copyable text={`npm run -s posthaste -- ${command.map(shellWord).join(' ')}`} />
        </Stack>
      </Alert>
    </Stack>
  )
}

import { Box, Image, Paper, Stack, Text } from '@mantine/core'
import { SETTINGS_TEXTS as TEXTS } from '../texts/settings'
import { isColor, textColorOn } from './colors'

type PagePreviewProps = { name: string; color: string; logoPath: string | null }

/** How a public page of the team looks, while its color is being chosen. */
export function PagePreview({ name, color, logoPath }: PagePreviewProps) {
  const colors = isColor(color) ? { bg: color, c: textColorOn(color) } : {}
  return (
    <Stack gap="xs" maw={480} role="group" aria-label={TEXTS.preview}>
      <Paper withBorder p="sm" {...colors}>
        {logoPath !== null && (
          <Box bg="white" p={4} mb="xs" w="fit-content" maw="100%">
            <Image src={logoPath} alt="" h={40} w="auto" maw="100%" fit="contain" />
          </Box>
        )}
        {TEXTS.mailFrom} <strong>{name}</strong>
      </Paper>
      <Paper withBorder p="sm">
        <Text fw={700}>{TEXTS.pageTitle}</Text>
        <Text size="sm">{TEXTS.pageText}</Text>
        <Paper withBorder component="span" display="inline-block" px="md" py={6} mt="xs" fw={600} {...colors}>
          {TEXTS.pageButton}
        </Paper>
      </Paper>
    </Stack>
  )
}

import { Box, render, Text } from 'ink'

function A() {
  return (
    <Box borderStyle="round" flexDirection="column">
      <Text color="green">hello</Text>
      <Text>❯ … ▸</Text>
    </Box>
  )
}
const i = render(<A />)
if (process.env.ONCE) {
  await i.waitUntilRenderFlush()
  i.unmount()
}

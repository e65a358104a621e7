import { startPty, checkout } from '../../fixtures/screen/pty.ts'
import { bundle } from '../build/bundle.ts'
const out = checkout + '/node_modules/.cache/appdist'
try { await bundle({ root: checkout, outdir: out }) } catch (e) { console.log('old build', String(e).slice(0,300)) }
const sleep = (ms) => new Promise(r => setTimeout(r, ms))
const start = async (env={}) => { const s = startPty({ command: [process.execPath, out+'/main.js', '--model', 'scripted:hello', '--cwd', '/tmp/ws'], env: { SLUICE_HOME: '/tmp/sh', ...env }, cols: 100, rows: 24 }); await s.until('type a message'); return s }
const tail = (s, n=6) => s.screen().split('\n').slice(-n).join('\n')
try {
let s = await start(); s.type('look at @cart'); await s.until('src/cart.ts'); console.log(tail(s)); s.press('tab'); await s.until('@src/cart.ts '); console.log(tail(s,3))
s.press('ctrl+c'); await s.until('type a message'); s.type('/'); await s.until('/clear'); console.log(tail(s, 12)); s.press('ctrl+c'); await s.until('type a message')
s.type('hi there'); await s.until('hi there'); s.press('return'); await s.until('❯ hi there'); await sleep(1500); console.log(s.screen())
s.press('up'); await s.until(/❯ hi there\n/); console.log(tail(s,3)); s.press('ctrl+u')
s.type('/cost'); await s.until(/❯ \/cost/); s.press('return'); await s.until('by scripted'); console.log(tail(s, 10))
s.type('/modl'); await sleep(600); s.press('escape'); await sleep(300); s.press('return'); await s.until('no command'); console.log(tail(s, 8))
s.press('ctrl+z'); await sleep(1200); console.log(tail(s,3)); s.type('still here'); await s.until('still here'); 
await s.close()
} catch (e) { console.log(String(e)) }
process.exit()

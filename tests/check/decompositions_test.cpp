// Eigenvectors and singular vectors are compared up to what a decomposition leaves open, and no further.
#include "check/decompositions.h"

#include "check/dumped.h"
#include "check/judged.h"

namespace msprobe::check {
namespace {

using inputs::Value;
using outcome::Status;

at::Tensor doubles(const std::vector<double>& values, at::IntArrayRef sizes) {
  return at::tensor(values, at::kDouble).reshape(sizes);
}
// A plane rotation of the first two of n dimensions.
at::Tensor rotation(int64_t n, double angle) {
  at::Tensor q = at::eye(n, at::kDouble);
  q[0][0] = std::cos(angle), q[0][1] = -std::sin(angle);
  q[1][0] = std::sin(angle), q[1][1] = std::cos(angle);
  return q;
}

class DecompositionTest : public testing::Test {
 protected:
  // Golden and device results of a call; the device's go through float32 (complex64).
  void sides(const char* how, const std::vector<at::Tensor>& golden, const std::vector<at::Tensor>& device) {
    dumped_ = std::make_unique<Dumped>("Torch.linalg.any.0");
    dumped_->options.inputs.profile = profile_;
    dumped_->args = {dumped_->tensor(at::zeros({2, 2}))};
    const Rebuilt rebuilt = dumped_->rebuilt();
    called_ = Called();
    std::vector<Value> given(golden.begin(), golden.end());
    for (const auto& t : device)
      called_.device.outputs.emplace_back(t.to(t.is_complex() ? at::kComplexFloat : at::kFloat));
    Aligned aligned = align_decomposition(profile_, how, std::move(given), called_.device.outputs, rebuilt.grad_mode);
    called_.golden.outputs = std::move(aligned.golden);
    called_.alignment = std::move(aligned.alignment);
    outcome_ = judge(dumped_->session(), rebuilt, called_);
  }
  std::vector<Status> statuses() const {
    std::vector<Status> all;
    for (const auto& row : outcome_.rows) all.push_back(row.status);
    return all;
  }
  std::string note(size_t i) const {
    const auto& m = outcome_.rows[i].message;
    const size_t at = m.find("; ");
    return at == std::string::npos ? m : m.substr(at + 2);
  }

  config::Profile profile_ = config::Profile::kDocumented;
  std::unique_ptr<Dumped> dumped_;
  Called called_;
  outcome::ApiOutcome outcome_;
};

const std::vector<Status> kTwoPass(2, Status::kPass), kThreePass(3, Status::kPass);

// [[2, 1], [1, 2]] has eigenvalues 1 and 3, eigenvectors (1, -1) and (1, 1) over sqrt(2).
const double kHalf = std::sqrt(0.5);
const at::Tensor kValues = doubles({1, 3}, {2}), kVectors = doubles({kHalf, kHalf, -kHalf, kHalf}, {2, 2});

TEST_F(DecompositionTest, AnEigenvectorMayPointTheOtherWay) {
  sides("aten::linalg_eigh", {kValues, kVectors}, {kValues, kVectors * doubles({-1, 1}, {2})});
  EXPECT_EQ(statuses(), kTwoPass);
  EXPECT_EQ(note(1), "2 vectors compared up to sign");
}

TEST_F(DecompositionTest, TheWrongVectorStaysAnError) {
  const at::Tensor wrong = at::matmul(kVectors, rotation(2, 0.1));
  sides("aten::linalg_eigh", {kValues, kVectors}, {kValues, wrong});
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::kPass, Status::kError}));
}

TEST_F(DecompositionTest, ProfileMindstudioComparesAsMindStudioDoes) {
  profile_ = config::Profile::kMindstudio;
  sides("aten::linalg_eigh", {kValues, kVectors}, {kValues, kVectors * doubles({-1, 1}, {2})});
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::kPass, Status::kError}));
}

TEST_F(DecompositionTest, ComplexVectorsMayDifferByAPhase) {
  // [[2, i], [-i, 2]]: eigenvectors (i, -1) and (i, 1) over sqrt(2).
  const c10::complex<double> i(0, kHalf), turned(std::cos(2.0), std::sin(2.0));
  const at::Tensor vectors =
      at::tensor(std::vector<c10::complex<double>>{i, i, {-kHalf, 0}, {kHalf, 0}}).reshape({2, 2});
  sides("aten::linalg_eigh", {kValues, vectors}, {kValues, vectors * c10::Scalar(turned)});
  EXPECT_EQ(statuses(), kTwoPass);
  EXPECT_EQ(note(1), "2 vectors compared up to a factor of modulus 1");
}

TEST_F(DecompositionTest, VectorsOfEqualValuesSpanASpace) {
  const at::Tensor values = doubles({1, 1, 2}, {3}), eye = at::eye(3, at::kDouble);
  sides("aten::linalg_eigh", {values, eye}, {values, rotation(3, 0.7)});
  EXPECT_EQ(statuses(), kTwoPass);
  EXPECT_EQ(
      note(1),
      "1 vector compared up to sign, 2 as bases of the same spaces: their eigenvalues are equal to within what the "
      "dtype resolves");
  // Out of that space: the second vector leans to the third.
  sides("aten::linalg_eigh", {values, eye}, {values, rotation(3, 0.7).roll({1, 1}, {0, 1})});
  EXPECT_EQ(statuses()[1], Status::kError);
}

TEST_F(DecompositionTest, EachMatrixOfABatchHasItsOwnSigns) {
  const at::Tensor values = at::stack({kValues, kValues}), vectors = at::stack({kVectors, kVectors});
  sides("aten::linalg_eigh", {values, vectors}, {values, vectors * doubles({-1, 1, 1, -1}, {2, 1, 2})});
  EXPECT_EQ(statuses(), kTwoPass);
  EXPECT_EQ(note(1), "4 vectors compared up to sign");
}

// A 3x2 matrix U diag(5, 2) Vh with known factors.
const at::Tensor kU = rotation(3, 0.3).narrow(1, 0, 2), kS = doubles({5, 2}, {2}), kVh = rotation(2, 1.1);

TEST_F(DecompositionTest, SingularVectorsTurnInPairs) {
  const at::Tensor sign = doubles({-1, 1}, {2});
  for (const char* how : {"aten::linalg_svd", "aten::_linalg_svd"}) {
    sides(how, {kU, kS, kVh}, {kU * sign, kS, sign.unsqueeze(1) * kVh});
    EXPECT_EQ(statuses(), kThreePass);
    EXPECT_EQ(note(0), "2 vectors compared up to sign");
    EXPECT_EQ(note(2), "2 vectors compared up to sign");
  }
  sides("aten::svd", {kU, kS, kVh.mT().contiguous()}, {kU * sign, kS, kVh.mT() * sign});
  EXPECT_EQ(statuses(), kThreePass);
  // u alone turned round: U S Vh is another matrix.
  sides("aten::linalg_svd", {kU, kS, kVh}, {kU * sign, kS, kVh});
  EXPECT_NE(statuses(), kThreePass);
}

TEST_F(DecompositionTest, WhatAMatrixDoesNotReachIsASpaceOfEachSide) {
  // Full U of a 4x2 matrix of rank 1: three columns of U and one of V belong to no singular value above 0.
  const at::Tensor u = at::eye(4, at::kDouble), s = doubles({3, 0}, {2}), vh = at::eye(2, at::kDouble);
  at::Tensor other = at::eye(4, at::kDouble);
  other.narrow(0, 1, 3).narrow(1, 1, 3).copy_(rotation(3, 0.5));
  sides("aten::linalg_svd", {u, s, vh}, {other, s, vh * doubles({1, -1}, {2, 1})});
  EXPECT_EQ(statuses(), kThreePass);
  EXPECT_EQ(
      note(0),
      "1 vector compared up to sign, 3 as bases of the same spaces: their singular values are equal or 0 to within "
      "what the dtype resolves");
  EXPECT_EQ(note(2), "2 vectors compared up to sign");
}

TEST_F(DecompositionTest, ComplexEigenvaluesComeInAnyOrder) {
  // [[0, -1], [1, 0]]: i and -i with (1, -i) and (1, i) over sqrt(2).
  using C = c10::complex<double>;
  const at::Tensor values = at::tensor(std::vector<C>{{0, 1}, {0, -1}});
  const at::Tensor vectors =
      at::tensor(std::vector<C>{{kHalf, 0}, {kHalf, 0}, {0, -kHalf}, {0, kHalf}}).reshape({2, 2});
  const at::Tensor order = at::tensor(std::vector<int64_t>{1, 0});
  const at::Tensor other = vectors.index_select(1, order) * c10::Scalar(C(0, -1));
  sides("aten::linalg_eig", {values, vectors}, {values.index_select(0, order), other});
  EXPECT_EQ(statuses(), kTwoPass);
  EXPECT_EQ(note(0), "golden's eigenvalues put in the device's order");
  EXPECT_EQ(note(1), "2 vectors compared up to a factor of modulus 1");
  sides("aten::linalg_eigvals", {values}, {values.index_select(0, order)});
  EXPECT_EQ(statuses(), std::vector<Status>{Status::kPass});
  // Another value is no matter of order.
  sides("aten::linalg_eigvals", {values}, {values * 1.5});
  EXPECT_EQ(statuses(), std::vector<Status>{Status::kError});
}

TEST_F(DecompositionTest, EigenvectorsOfEqualEigenvaluesAreNotJudged) {
  const at::Tensor values = doubles({1, 1, 2}, {3}).to(at::kComplexDouble);
  const at::Tensor golden = at::eye(3, at::kComplexDouble), device = rotation(3, 0.7).to(at::kComplexDouble);
  sides("aten::linalg_eig", {values, golden}, {values, device});
  EXPECT_EQ(statuses(), kTwoPass);
  EXPECT_EQ(outcome_.rows[1].shape, "(3, 3)");
  EXPECT_EQ(
      note(1),
      "1 vector compared up to a factor of modulus 1, 2 not judged: their eigenvalues are equal to within what the "
      "dtype resolves");
  sides("aten::linalg_eig", {values.narrow(0, 0, 2), golden.narrow(0, 0, 2).narrow(1, 0, 2)},
        {values.narrow(0, 0, 2), rotation(2, 0.7).to(at::kComplexDouble)});
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::kPass, Status::kSkip}));
}

TEST_F(DecompositionTest, WhatIsNotFiniteStaysAsItIs) {
  at::Tensor broken = kVectors.clone();
  broken[0][0] = std::nan("");
  sides("aten::linalg_eigh", {kValues, kVectors}, {kValues, broken});
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::kPass, Status::kError}));
  EXPECT_TRUE(called_.alignment.notes.empty());
}

// The gradient at A of the same output gradients, where the device's vectors point the other way.
TEST_F(DecompositionTest, GradientsFollowTheDevicesSigns) {
  const at::Tensor a = doubles({2, 1, 0.5, 1, 3, 0.25, 0.5, 0.25, 5}, {3, 3});
  const at::Tensor grad = doubles({1, 2, -1, 0.5, 3, 1, -2, 1, 4}, {3, 3});
  dumped_ = std::make_unique<Dumped>("Torch.linalg.eigh.0");
  dumped_->args = {dumped_->tensor(a, true)};
  dumped_->gradients = {"null", dumped_->tensor(grad)};
  const Rebuilt rebuilt = dumped_->rebuilt();
  const auto call = [&](at::Tensor sign) {
    Side side;
    side.leaves = {a.clone().requires_grad_(true)};
    const auto [values, vectors] = at::linalg_eigh(side.leaves[0]);
    side.outputs = {Value(values), Value(vectors * sign)};
    return side;
  };
  Side golden = call(at::ones({3}, at::kDouble));
  const Side device = call(doubles({-1, 1, -1}, {3}));
  Aligned aligned =
      align_decomposition(profile_, "aten::linalg_eigh", std::move(golden.outputs), device.outputs, rebuilt.grad_mode);
  golden.outputs = std::move(aligned.golden);
  const Gradients gradients = run_both_backward(dumped_->session(), rebuilt, device, golden, aligned.alignment);
  EXPECT_EQ(gradients.not_run, "");
  EXPECT_TRUE(at::allclose(gradients.golden[0], gradients.device[0], 1e-12, 1e-12));
  EXPECT_EQ(aligned.alignment.no_gradient, "");
}

TEST_F(DecompositionTest, NoGradientThroughVectorsOfEqualValues) {
  Dumped dumped("Torch.linalg.eigh.0");
  const at::Tensor eye = at::eye(3);
  dumped.args = {dumped.tensor(eye, true)};
  dumped.outputs = {dumped.tensor(at::ones({3}), true), dumped.tensor(eye, true)};
  dumped.gradients = {"null", dumped.tensor(eye)};
  const auto outcome = dumped.check();
  EXPECT_EQ(outcome.forward, Status::kPass);
  EXPECT_EQ(outcome.backward, Status::kSkip);
  EXPECT_EQ(outcome.message,
            "backward not run: the eigenvalues are equal to within what the dtype resolves, and the vectors' gradient "
            "divides by how they differ");
}

}  // namespace
}  // namespace msprobe::check
